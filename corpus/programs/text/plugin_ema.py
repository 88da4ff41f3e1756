def update(ema, value, decay=0.99):
    if ema is None:
        return value
	new = ema * decay
    return new
