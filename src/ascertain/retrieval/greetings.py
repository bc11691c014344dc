"""Messages that greet, thank, take leave or ask the assistant about itself, in a few languages.

Only a message that is nothing but that counts: "hello world" and "thank you notes" are for the documents.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from ascertain.language.tokens import folded

_HELLO = """
hi|hiya|hello|hallo|hey|heya|howdy|greetings|good morning|good afternoon|good evening|good day|good night|morning|yo|welcome
guten morgen|guten tag|guten abend|gute nacht|gruss gott|grüß gott|servus|moin|tach
bonjour|bonsoir|salut|coucou|bonne journee|bonne nuit
hola|buenos dias|buen dia|buenas tardes|buenas noches|buenas|que tal
ciao|salve|buongiorno|buonasera|buon giorno|buona sera|buonanotte
ola|oi|bom dia|boa tarde|boa noite
hoi|goedemorgen|goedemiddag|goedenavond|goedendag|dag
hej|hejsan|god morgon|god dag|god kvall|god morgen|god kveld|hei|moi|terve|hyva paiva
czesc|dzien dobry|dobry wieczor|ahoj|dobry den|szia|buna ziua
merhaba|selam|gunaydin|iyi aksamlar
привет|здравствуйте|здравствуй|добрый день|доброе утро|добрый вечер|привіт|добрий день
γεια|γεια σου|γεια σας|καλημερα|καλησπερα
مرحبا|أهلا|السلام عليكم|صباح الخير|مساء الخير|שלום|בוקר טוב|ערב טוב
नमस्ते|नमस्कार|হ্যালো|你好|您好|早上好|下午好|晚上好|嗨|こんにちは|おはよう|おはようございます|こんばんは|안녕|안녕하세요
"""
_THANKS = """
thanks|thank you|thanks a lot|thank you so much|thank you very much|thanks so much|many thanks|thx|ty|cheers|much appreciated
great thanks|ok thanks|thanks for your help|thank you for your help|thanks for the help|that is all|thats all|that was helpful
danke|danke schon|danke schön|vielen dank|herzlichen dank|merci|merci beaucoup|gracias|muchas gracias|grazie|grazie mille|obrigado
obrigada|muito obrigado|dank je|dank u|bedankt|tack|tack sa mycket|takk|tak|kiitos|dziekuje|dekuji|tesekkurler|tesekkur ederim|спасибо
большое спасибо|дякую|ευχαριστω|شكرا|תודה|धन्यवाद|谢谢|谢谢你|ありがとう|ありがとうございます|감사합니다
"""
_LEAVE = """
bye|bye bye|goodbye|good bye|see you|see you later|see ya|take care|have a nice day|have a good day|have a great day|farewell
tschuss|tschüss|auf wiedersehen|bis bald|au revoir|a bientot|adios|hasta luego|hasta la vista|arrivederci|adeus|ate logo|tot ziens
hej da|ha det|do widzenia|gule gule|hoscakal|пока|до свидания|再见|さようなら
"""
_ABOUT_ITSELF = """
who are you|what are you|what is your name|whats your name|how are you|how are you doing|how are you today|how do you do|whats up
what can you do|what can you do for me|what can you help me with|how can you help|how can you help me|can you help me|can you help
are you there|are you a bot|are you a robot|are you human|are you an ai|nice to meet you|pleased to meet you|introduce yourself|tell me about yourself
wer bist du|wie geht es dir|wie gehts|was kannst du|qui es tu|comment ca va|ca va|comment allez vous|quien eres|como estas|chi sei|come stai
quem e voce|tudo bem|wie ben je|hoe gaat het
"""
_FILLERS = "there|all|everyone|everybody|folks|team|again|bot|assistant|ascertain|ok|okay|great|cool|perfect|nice|awesome|super|please|and|so"
_FACES = frozenset("👋🙏👍😊🙂😀😃😄🤗❤♥")


def is_greeting(message: str) -> bool:
    """Whether ``message`` is nothing but greeting, thanks, farewell or a question about the assistant itself."""
    if len(message) > MOST_CHARACTERS:
        return False
    words = _plain(message)
    if not words:
        return any(character in _FACES for character in message)
    rest = _PHRASE.sub(" ", words)
    if rest == words:
        return False
    return not _FILLER.sub(" ", rest).strip()


MOST_CHARACTERS = 120
"""A longer message is more than a greeting."""


def _plain(text: str) -> str:
    """Folded words with single spaces between them, everything else dropped, apostrophes without a trace."""
    bare = re.sub(r"['’`´]", "", folded(text))
    kept = "".join(c if c.isalnum() or unicodedata.category(c).startswith("M") else " " for c in bare)
    return " ".join(kept.split())


def _any_of(phrases: Iterable[str]) -> re.Pattern[str]:
    plain = sorted({_plain(phrase) for phrase in phrases}, key=len, reverse=True)
    return re.compile(rf"(?<!\S)(?:{'|'.join(map(re.escape, plain))})(?!\S)")


_PHRASE = _any_of(
    phrase
    for block in (_HELLO, _THANKS, _LEAVE, _ABOUT_ITSELF)
    for line in block.strip().splitlines()
    for phrase in line.split("|")
)
_FILLER = _any_of(_FILLERS.split("|"))
