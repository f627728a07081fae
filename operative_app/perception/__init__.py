"""From raw captures to pictures with marks and to words."""
