"""The human's seat at the simulated table: what is typed, or chosen, and the errands of the hand that come of it."""
