"""A publisher's site on loopback: pages of articles, and the feed of them."""

from email.utils import format_datetime
from html import escape

from news_service import NewsService, Reply, Story

PAGE = """<!doctype html><html lang="en"><head><title>{title} | The Ledger</title>
<meta property="og:title" content="{title}"><meta property="article:published_time" content="{date}">
<meta name="author" content="Nora Feld"></head>
<body><nav><a href="/">Home</a> <a href="/subscribe">Subscribe now for 1 euro</a></nav>
<article><h1>{title}</h1>{paragraphs}</article><footer>Copyright. All rights reserved.</footer></body></html>"""
WALL = b"<!doctype html><html><head><title>Just a moment</title></head><body><p>%s</p></body></html>" % (
    b"Please enable cookies and confirm that you are human before you go on to this site. " * 20
)


class NewsSite(NewsService):
    """``write`` publishes an article; ``walled`` pages ask for cookies in place of it. The feed holds summaries."""

    def __init__(self):
        super().__init__()
        self.walled = False

    def write(self, name, title, text, published_at):
        story = Story(title, f"{self.url}/{name}.html", text, published_at)
        self.stories.append(story)
        return story

    def reply(self, request):
        if request.path == "/feed.xml":
            return Reply(200, self._feed().encode(), {"Content-Type": "application/rss+xml; charset=utf-8"})
        story = next((story for story in self.stories if story.url.endswith(request.path)), None)
        if story is None:
            return Reply(404, b"gone", {"Content-Type": "text/html"})
        paragraphs = "".join(f"<p>{escape(part)}</p>" for part in story.text.split("\n\n"))
        page = PAGE.format(title=escape(story.title), date=story.published_at.isoformat(), paragraphs=paragraphs)
        body = WALL if self.walled else page.encode()
        return Reply(200, body, {"Content-Type": "text/html; charset=utf-8"})

    def _feed(self):
        items = "".join(
            f"<item><title>{escape(s.title)}</title><link>{escape(s.url)}</link><guid>{escape(s.url)}</guid>"
            f"<description>{escape(s.teaser)}</description>"
            f"<pubDate>{format_datetime(s.published_at, usegmt=True)}</pubDate></item>"
            for s in self.stories
        )
        return f'<?xml version="1.0"?><rss version="2.0"><channel><title>The Ledger</title>{items}</channel></rss>'
