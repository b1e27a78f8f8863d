"""The distance filter: is a synthetic row closer to a person than any real person is?"""
