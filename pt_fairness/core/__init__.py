"""What the other rooms share: identifiers, labels, arrays, messages, the registry."""
