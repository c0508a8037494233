package hloproto
