"""The Marlin dialect: numbered lines with check sums, short segments in place of a feed hold."""
