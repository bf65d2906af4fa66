"""What every page and the API need of HTTP, whatever their subject: for now, limits on the rate of requests."""
