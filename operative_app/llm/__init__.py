"""Model endpoints: what is sent, what comes back, what an endpoint can do, what it costs."""
