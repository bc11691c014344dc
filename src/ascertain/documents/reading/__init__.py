"""Reading files in processes of their own, which can be killed without affecting anything else."""
