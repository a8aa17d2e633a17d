"""A table that is not there: firmware, discs, camera and a human hand as plain state machines."""
