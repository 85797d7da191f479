"""The system model, Eqs. (1) to (10), and the cases at its edge."""
