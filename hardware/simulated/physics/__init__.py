"""What becomes of the discs: a simple contact model, and MuJoCo's rigid bodies, behind one interface."""
