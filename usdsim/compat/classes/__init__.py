"""Classes under the names of Isaac Lab, of what is here under others."""
