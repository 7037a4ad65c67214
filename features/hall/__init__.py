"""One page over all tables that share a store, and calls to an address when something happens at a table."""
