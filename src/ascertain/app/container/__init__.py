"""What is open of one knowledge base, shared by all tenants, and the view of each tenant."""
