# cython: language_level=3
def find_obstacle(etree):
    return ""
