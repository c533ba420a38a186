"""The mirror: public memories as files in the working tree."""
