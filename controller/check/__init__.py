"""The doctor: looks at everything that playing needs, and says what mends what it finds."""
