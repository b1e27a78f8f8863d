"""Models that measures share: of arrays alone, which know no study."""
