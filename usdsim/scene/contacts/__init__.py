"""Contacts of worlds: lists, queries, net forces and what the solver reports."""
