"""Pure decisions: policy, addresses, paths, redaction."""
