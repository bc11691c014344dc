"""What a service keeps beside documents and conversations: keys, jobs, files, feedback, answers, limits, events and fetches.

One module a port, with its nouns. ``tests/contract/service`` holds the suites every adapter passes. What holds for all of them: ids are free
text, exact to the character; every change is durable when its method returns (rate limits and events may be lost with the machine, not with
the process) and made in one short transaction, also while another process ingests; times are time-zone aware; methods raise StoreError with the remedy when the store cannot be used; they are safe to use from several
threads, and from several processes on the same store at once. Nothing of one tenant is visible to another.
"""
