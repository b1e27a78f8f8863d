"""How often is what, among the people of the artificial survey? Every number here is made up.

Weights are whole numbers; only their proportions within a row count. The columns of a table follow
the codes in `survey_labels.json`, and so do its rows, unless they are age bands. Where a variable
has two tables, the weights are multiplied.
"""

import numpy as np

# Ages 16-17, 18-24, 25-34, 35-44, 45-54, 55-64, 65-74, 75 and over: the rows of the tables by age.
BAND_STARTS = np.array([18, 25, 35, 45, 55, 65, 75])
AGES = np.arange(16, 96)

REGION = np.array([[6, 5, 9, 7, 18, 14, 11, 8, 9, 6, 5, 2]])
SETTLEMENT_BY_REGION = np.array(
    [
        [40, 25, 20, 15, 0],
        [60, 22, 12, 6, 0],
        [45, 25, 15, 15, 0],
        [52, 26, 16, 6, 0],
        [2, 3, 5, 10, 80],
        [25, 30, 30, 15, 0],
        [30, 20, 20, 30, 0],
        [42, 22, 16, 20, 0],
        [20, 20, 20, 15, 25],
        [55, 25, 20, 0, 0],
        [35, 30, 20, 15, 0],
        [70, 30, 0, 0, 0],
    ]
)
EDUCATION_BY_AGE = np.array(
    [
        [1, 0, 0, 0, 0],
        [20, 14, 50, 10, 6],
        [7, 24, 24, 15, 30],
        [8, 29, 23, 14, 26],
        [10, 34, 23, 13, 20],
        [15, 38, 22, 11, 14],
        [26, 36, 19, 9, 10],
        [44, 29, 14, 6, 7],
    ]
)
EDUCATION_BY_SETTLEMENT = np.array(
    [[5, 6, 4, 3, 2], [4, 5, 4, 4, 3], [4, 5, 4, 4, 4], [3, 4, 4, 5, 6], [2, 3, 4, 5, 9]]
)
MARITAL_BY_AGE = np.array(
    [
        [1, 0, 0, 0, 0],
        [82, 14, 4, 0, 0],
        [36, 28, 33, 3, 0],
        [17, 17, 57, 8, 1],
        [11, 11, 62, 14, 2],
        [8, 6, 64, 16, 6],
        [5, 3, 62, 12, 18],
        [4, 1, 43, 6, 46],
    ]
)
MARITAL_BY_SEX = np.array([[5, 4, 5, 4, 2], [4, 4, 4, 5, 6]])
EMPLOYMENT_BY_AGE = np.array(
    [
        [5, 0, 2, 93, 0, 0, 0],
        [38, 3, 9, 45, 0, 4, 1],
        [69, 9, 8, 4, 0, 8, 2],
        [70, 13, 6, 1, 0, 7, 3],
        [68, 14, 6, 0, 1, 6, 5],
        [50, 12, 6, 0, 18, 6, 8],
        [5, 4, 0, 0, 88, 2, 1],
        [0, 1, 0, 0, 98, 1, 0],
    ]
)
EMPLOYMENT_BY_SEX = np.array([[6, 8, 6, 5, 5, 1, 6], [5, 4, 5, 5, 5, 6, 5]])
HOUSEHOLD_BY_MARITAL = np.array(
    [
        [34, 16, 22, 18, 7, 3],
        [0, 50, 25, 18, 5, 2],
        [0, 38, 22, 26, 10, 4],
        [55, 24, 13, 6, 2, 0],
        [70, 16, 7, 4, 2, 1],
    ]
)
HOUSEHOLD_BY_AGE = np.array(
    [
        [0, 8, 28, 40, 17, 7],
        [16, 22, 26, 24, 8, 4],
        [18, 24, 26, 22, 7, 3],
        [10, 12, 24, 36, 13, 5],
        [14, 22, 26, 26, 9, 3],
        [20, 48, 19, 9, 3, 1],
        [26, 62, 8, 3, 1, 0],
        [40, 52, 5, 2, 1, 0],
    ]
)
CONDITION_BY_AGE = np.array(
    [
        [972, 1, 3, 10, 10, 4],
        [964, 2, 3, 9, 17, 5],
        [954, 3, 5, 9, 20, 9],
        [938, 9, 11, 9, 20, 13],
        [913, 23, 20, 12, 17, 15],
        [876, 44, 31, 18, 13, 18],
        [838, 70, 39, 23, 9, 21],
        [795, 102, 43, 26, 7, 27],
    ]
)
CONDITION_BY_SEX = np.array([[20, 23, 22, 20, 17, 18], [20, 18, 18, 20, 24, 22]])
HEALTH_BY_AGE = np.array(
    [
        [58, 36, 5, 1, 0],
        [50, 41, 7, 2, 0],
        [38, 48, 11, 2, 1],
        [28, 51, 16, 4, 1],
        [18, 49, 25, 6, 2],
        [11, 42, 34, 10, 3],
        [6, 35, 42, 14, 3],
        [3, 24, 46, 21, 6],
    ]
)
HEALTH_BY_CONDITION = np.array(
    [
        [6, 6, 4, 2, 1],
        [1, 2, 5, 8, 9],
        [1, 3, 6, 6, 5],
        [1, 3, 6, 7, 6],
        [1, 3, 6, 7, 5],
        [1, 3, 5, 7, 8],
    ]
)
SATISFACTION_BY_HEALTH = np.array(
    [
        [0, 0, 1, 1, 2, 5, 7, 18, 31, 21, 14],
        [0, 1, 1, 2, 4, 10, 13, 24, 27, 12, 6],
        [1, 1, 2, 5, 8, 18, 17, 22, 17, 6, 3],
        [3, 3, 6, 10, 12, 22, 15, 14, 9, 3, 3],
        [9, 7, 11, 13, 14, 20, 9, 8, 5, 2, 2],
    ]
)

# Percent of the group's median, at every tenth of the people: skewed to the right.
INCOME_SHAPE = np.array([35, 56, 68, 79, 89, 100, 113, 130, 155, 200, 480])
INCOME_BY_EMPLOYMENT = np.array([1850, 1900, 700, 450, 1300, 550, 850])
INCOME_PERCENT_BY_EDUCATION = np.array([78, 94, 100, 116, 150])
INCOME_PERCENT_BY_SEX = np.array([106, 92])
NO_INCOME_PERCENT = np.array([0, 2, 12, 45, 0, 30, 3])
REFUSED_PERCENT = np.array([11, 22, 7, 5, 12, 11, 7])
MISSING_PERCENT = {
    "education": 1,
    "household": 1,
    "income": 8,
    "health": 1,
    "condition": 2,
    "satisfaction": 3,
}
