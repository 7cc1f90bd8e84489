"""Agents: a model invents tasks, a judge accepts or refuses them, and accepted tasks are asked."""
