from lab import Run

run = Run("mixed", "plain")
run.info("loading plugins")
run.train(20)
import plugin_ema
