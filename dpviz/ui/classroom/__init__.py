"""Lectures, scenes, predictions: the app in front of a class."""
