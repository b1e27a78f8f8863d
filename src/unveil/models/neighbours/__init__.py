"""Distances between records, and which records are nearest."""
