"""What people say to each other: transcripts, subtitles, chats, conversations of programs."""
