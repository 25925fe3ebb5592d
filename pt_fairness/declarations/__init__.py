"""What a measure is: its parameters, text form, registry, documentation and bibliography."""
