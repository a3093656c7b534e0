"""User complexity: how many users private learning needs when each holds m examples.

Every bound of the tables in Ghazi, Kamath et al. 2023 and Ghazi, Kumar & Manurangsi 2021
(`ROWS`), the step from item-level to user-level privacy, and the views of the page.
"""
