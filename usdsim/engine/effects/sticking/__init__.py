"""Static friction of contacts: surfaces hold more than they brake."""
