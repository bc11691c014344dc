"""Sources that list their items and give them one by one: folders, sites, mailboxes, repositories, file systems."""
