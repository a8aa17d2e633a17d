"""What lifts discs: suction, a magnet or jaws, worked by an output of the firmware or by pins of this computer."""
