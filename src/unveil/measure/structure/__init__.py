"""What is in a file, and how do two files differ in structure?"""
