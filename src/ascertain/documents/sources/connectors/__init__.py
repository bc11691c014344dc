"""Sources that list their items and return them one by one: folders, sites, mailboxes, repositories, file systems."""
