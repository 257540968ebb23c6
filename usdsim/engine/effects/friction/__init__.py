"""Static friction of joints."""
