"""SQL over run folders: the connection, the shared views and functions, and the runner of the queries."""
