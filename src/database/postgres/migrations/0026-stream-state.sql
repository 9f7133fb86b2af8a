-- The state that a stream of messages ended with. It is used only while `question` stays the same. Also the stream's name, and the version of its records.
ALTER TABLE vitrine.sources ADD COLUMN state text CHECK (char_length(state) <= 1048576);
