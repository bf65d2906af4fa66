"""The shapes of the API's answers and of what is sent to it."""
