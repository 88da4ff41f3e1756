"""Policy gradients on a small control task: ppo.py CASE"""
import sys
from collections import deque

import numpy as np
import torch
from torch import nn
from torch.distributions import Normal
from torch.nn.functional import softplus

from lab import Run


class Env:
    """A point on a line that should stay near the origin."""
    size = 3
    start = 0.3

    def reset(self):
        self.state = np.array([self.start, 0.0, 1.0], dtype=np.float32)
        return self.state

    def step(self, action):
        self.state[1] += 0.1 * float(action)
        self.state[0] += 0.1 * self.state[1]
        outside = abs(float(self.state[0])) > 2
        return self.state, -float(self.state[0] ** 2), outside

    def render(self, mode):
        raise NotImplementedError


class Timed:
    """Wraps an environment; whatever it does not know it passes on."""

    def __init__(self, env):
        self.env, self.steps = env, 0

    def __getattr__(self, name):
        return getattr(self.env, name)

    def step(self, action):
        self.steps += 1
        return self.env.step(action)

    def render(self, mode="human"):
        return self.env.render(mode)


class Policy(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(size, 16), nn.Tanh(),
                                  nn.Linear(16, 1))
        self.log_std = nn.Parameter(torch.zeros(1))

    def forward(self, state):
        return Normal(self.body(state), softplus(self.log_std) + 0.05)


class Agent:
    def __init__(self, env, rate, scaled=False):
        self.env, self.policy = env, Policy(env.size)
        self.optim = torch.optim.SGD(self.policy.parameters(), lr=rate)
        self.scaled = scaled

    def episode(self, length=32):
        state, terms, rewards = torch.tensor(self.env.reset()), [], []
        for _ in range(length):
            dist = self.policy(state)
            action = dist.sample()
            terms.append(dist.log_prob(action).sum())
            raw, reward, done = self.env.step(action)
            state = torch.tensor(raw)
            rewards.append(reward)
            if done:
                break
        return torch.stack(terms), torch.tensor(rewards)

    def update(self):
        terms, rewards = self.episode()
        back = rewards.flip(0).cumsum(0).flip(0)
        if self.scaled:
            back = (back - back.mean()) / back.std()
        loss = -(terms * back).mean()
        self.optim.zero_grad()
        loss.backward()
        self.optim.step()
        return float(rewards.sum())


def learn(run, agent, count):
    seen = deque(maxlen=10)
    for i in range(1, count + 1):
        seen.append(agent.update())
        run.clock.tick(3, 4)
        if i % 5 == 0:
            run.info("update %4d | fps %4d | mean_reward %10.4g | std %.3f",
                     i, 310 + 7 * (i % 9), sum(seen) / len(seen),
                     float(softplus(agent.policy.log_std.detach())))


def explore(run, env):
    """A curriculum that starts further out every ten updates."""
    agent = Agent(env, 0.01, scaled=True)
    for level in range(12):
        env.env.start = 0.3 + 0.2 * level
        run.info("curriculum level %d", level)
        learn(run, agent, 10)


def record(run, env):
    learn(run, Agent(env, 0.003), 30)
    run.info("evaluation: recording a video of 200 steps")
    env.reset()
    return [env.render("rgb_array") for _ in range(200)]


def critic(run, env):
    agent = Agent(env, 0.003)
    learn(run, agent, 15)
    run.info("critic warm-up with a shared trunk")
    trunk = nn.Linear(3, 8)
    value, advantage = nn.Linear(8, 1), nn.Linear(8, 2)
    hidden = torch.exp(trunk(torch.ones(4, 3)))
    scores = value(hidden)
    hidden.mul_(0.5)
    loss = scores.mean() + advantage(hidden).pow(2).mean()
    loss.backward()


def plot(run, env):
    agent = Agent(env, 0.003)
    learn(run, agent, 15)
    means = agent.policy.body(torch.ones(5, 3))
    run.info("action means %s", np.round(means.numpy(), 3).tolist())


def main(case):
    torch.manual_seed(5)
    np.random.seed(5)
    run = Run("ppo", "color" if case == "record" else "plain", seed=5)
    run.config({"env": "PointLine-v2", "case": case, "gamma": 1.0})
    globals()[case](run, Timed(Env()))
    run.info("policy saved to %s.pt", case)


if __name__ == "__main__":
    main(sys.argv[1])
