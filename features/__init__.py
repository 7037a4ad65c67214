"""Optional parts of kozyr, a package each: logic, command, routes, jobs and pages. The core imports none of them."""
