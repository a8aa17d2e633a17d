"""The simulated table as a running program: real time, a pseudo-terminal, a network camera and a control socket."""
