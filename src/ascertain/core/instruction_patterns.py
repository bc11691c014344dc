"""What text that gives orders to a language model looks like, as patterns over folded text (``core.folding``).

The families follow the injections published with AgentDojo (Debenedetti et al., 2024), BIPIA (Yi et al., 2023) and
"Ignore previous prompt" (Perez & Ribeiro, 2022). They mark; they are no defence: that is that a source is never more than
data. So each pattern asks for more than a word that ordinary prose, help pages or papers on language models use too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_RULES = r"(?:instructions?|prompts?|directives?|guidelines|rules|commands?|directions|constraints|system messages?)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|original|initial|system|past|other|your|safety)"
_FORGET = r"(?:ignore|disregard|forget|override|bypass|discard|neglect|unlearn)"
_SECRET = (
    r"(?:(?:the |this |our |whole |entire |full |all |user'?s? |complete )+(?:conversation|chat|dialogue|question|history|context|query)"
    r"|(?:chat|conversation|message) (?:history|log)|(?:system|hidden|secret) prompts?|api[ _-]?keys?"
    r"|access tokens?|environment variables|user'?s? (?:data|name|question|e-?mail|message|query|password))"
)
_ADDRESS = r"(?:https?://|www\.|[\w.+-]+@[\w-]+\.\w|[\w-]+(?:\.[\w-]+)*\.(?:com|net|org|io|example|test|invalid|xyz|ru)\b)"
_MODEL = (
    r"(?:ais?\b(?: (?:assistants?|agents?|models?|systems?|readers?))?|(?:large )?language models?|llms?|chat ?bots?"
    r"|(?:virtual|automated|digital) assistants?)"
)
_REPLY = r"(?:ignore|answer|reply|respond|output|say|state|tell|write|cite|recommend|obey|follow|mark|print)"

_TABLE: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "an order to set other instructions aside",
        (
            (
                "ignor, disregard, forget, overrid, bypass, discard, neglect, unlearn",
                rf"\b{_FORGET}(?:\s\w+){{0,3}}?\s{_EARLIER}(?:\s\w+){{0,2}}?\s{_RULES}\b",
            ),
            (
                "ignor, disregard, forget, overrid, bypass, discard, neglect, unlearn",
                rf"\b{_FORGET}\s(?:all|any|every|these|those)\s(?:of\s)?(?:the\s)?{_RULES}\b",
            ),
            (
                "ignor, disregard, forget, overrid, bypass, discard, neglect, unlearn",
                rf"\b{_FORGET}\s(?:everything|anything|all)\s(?:above|before this|said (?:above|before|so far)|(?:that )?you"
                r"(?:'ve| have| were|'re| are)? (?:been )?(?:told|given|learned|instructed)|that came before)",
            ),
            (
                "follow, obey",
                rf"\b(?:do not|don't|never|stop|no longer)\s(?:follow|obey)(?:ing)?\s(?:the\s)?(?:your|previous|prior|system|above)\s(?:\w+\s)?{_RULES}\b",
            ),
            (
                "instruction, task, objective, role",
                r"\b(?:your|the)\s(?:new|real|actual|true|only|updated)\s(?:instructions?|task|objective|role)\s(?:is|are)\b(?=\s(?:now|to|as follows)\b)",
            ),
            (
                "instruction, prompt, directive",
                r"\b(?:new|updated|revised|additional|secret|hidden)\s(?:system\s)?(?:instructions?|prompt|directives?)\s?(?:for (?:you|the (?:model|assistant)))?:",
            ),
            (
                "you are now, you are no longer",
                r"\byou are (?:now|no longer)\s(?:bound|restricted|unrestricted|dan\b|free of|jailbroken|in (?:developer|debug|god|dan|jailbreak|admin|maintenance) mode"
                r"|(?:an? )?(?:\w+ )?(?:ai|assistant|chatbot|language model|pirate|hacker)\b)",
            ),
            (
                " mode",
                r"\b(?:developer|god|dan|jailbreak|admin(?:istrator)?) mode\s(?:is\s)?(?:now\s)?(?:enabled|activated|on)\b",
            ),
            (
                "from now on",
                r"\bfrom now on,?\s(?:you\s(?:must|will|shall|are to|should)\s)?(?:only\s|always\s)?(?:answer|respond|reply|output|speak only|act as|obey)\b",
            ),
            (
                "override",
                r"\b(?:system|admin(?:istrator)?|security|developer|root)\soverride\b",
            ),
        ),
    ),
    (
        "an order to set other instructions aside, in another language",
        (
            (
                "anweisung, instruktion, vorgabe, befehl",
                r"\b(?:ignorier\w*|missacht\w*|vergiss|vergesst|vergessen sie)\b[^.\n]{0,40}\b(?:anweisung|instruktion|vorgabe|befehl)\w*",
            ),
            (
                "instructions, consignes, directives",
                r"\b(?:ignore[sz]?|ignorer|oublie[sz]?|oublier|ne tene?z pas compte)\b[^.\n]{0,30}\b(?:les|des|toutes|vos|tes)\b[^.\n]{0,20}\b(?:instructions|consignes|directives)\b",
            ),
            (
                "instrucciones, indicaciones, ordenes, reglas",
                r"\b(?:ignora\w*|ignore[ns]?|olvid[ae]\w*|descarta)\b[^.\n]{0,30}\b(?:las|todas|tus|sus)\b[^.\n]{0,20}\b(?:instrucciones|indicaciones|ordenes|reglas)\b",
            ),
            (
                "instrucoes, orientacoes, regras",
                r"\b(?:ignor[ae]\w*|esque[cç]a\w*|desconsidere)\b[^.\n]{0,30}\b(?:as|todas|suas)\b[^.\n]{0,20}\b(?:instrucoes|orientacoes|regras)\b",
            ),
            (
                "istruzioni, indicazioni, regole",
                r"\b(?:ignora\w*|dimentica\w*)\b[^.\n]{0,30}\b(?:le|tutte|tue)\b[^.\n]{0,20}\b(?:istruzioni|indicazioni|regole)\b",
            ),
            (
                "instructies, aanwijzingen, opdrachten",
                r"\b(?:negeer|vergeet)\b[^.\n]{0,30}\b(?:instructies|aanwijzingen|opdrachten)\b",
            ),
            (
                "instrukcj, polecen",
                r"\b(?:zignoruj|ignoruj|zapomnij)\b[^.\n]{0,40}\b(?:instrukcj|polecen)\w*",
            ),
            (
                "инструкци, указани, команд",
                r"(?:игнорируи\w*|проигнорируи\w*|забудь\w*|не обращаи\w*)[^.\n]{0,40}(?:инструкци|указани|команд)\w*",
            ),
            (
                "talimat, komut, yonerge",
                r"\b(?:onceki|yukaridaki)\b[^.\n]{0,30}\b(?:talimat|komut|yonerge)\w*[^.\n]{0,20}\b(?:yok say|unut|gormezden gel|dikkate alma)",
            ),
            (
                "指令, 指示, 说明, 提示, 规则, 命令",
                r"(?:忽略|无视|無視|忘记|忘掉|不要理会)[^。\n]{0,12}(?:指令|指示|说明|提示|规则|命令)",
            ),
            (
                "無視, 忘れ",
                r"(?:指示|命令|指令|プロンプト|ルール)[^。\n]{0,6}(?:無視|忘れ)",
            ),
            (
                "무시, 잊",
                r"(?:이전|위의|앞의|모든)[^.\n]{0,10}(?:지시|명령|지침|프롬프트)[^.\n]{0,8}(?:무시|잊)",
            ),
            (
                "التعليمات, الاوامر, تعليمات, اوامر",
                r"(?:تجاهل|انس|اهمل)[^.\n]{0,25}(?:التعليمات|الاوامر|تعليمات|اوامر)",
            ),
            (
                "अनदख, अनदेख, भूल, नजरअदाज",
                r"(?:निर्दश|निर्देश|आदेश)[^।\n]{0,25}(?:अनदख|अनदेख|भूल|नजरअदाज)",
            ),
        ),
    ),
    (
        "a turn or a token of a chat template",
        (
            (
                "<|",
                r"<\|\s?(?:im_start|im_end|im_sep|system|user|assistant|endoftext|eot_id|start_header_id|end_header_id|begin_of_text|end_of_turn|end)\s?\|>[^\n]*",
            ),
            (
                "inst], sys>>, of_turn>, </s>",
                r"(?:\[/?inst\]|<</?sys>>|<(?:start|end)_of_turn>|</s>\s?(?:<s>|\[inst))[^\n]*",
            ),
            (
                "system, developer, assistant",
                r"(?:^|(?<=\n)|(?<=[.!?]\s))[\W_]{0,6}(?:system|developer|assistant)(?: (?:message|prompt|notice|note|instruction))?[\W_]{0,4}:[\W_]{0,4}"
                rf"(?:you\s(?:must|will|are (?:now|to)|should|have been)|{_FORGET}\b|new |the (?:user|previous|above|answer|correct) |{_REPLY}\s|reveal\b|from now|understood|priority|override|sure\b|ok\b|mark\s)[^\n]*",
            ),
            (
                ">",
                r"</?(?:system|sources?|data|documents?|context|passages?|untrusted|retrieved|tool_result|user_input)(?:[_ -]\w+)?>"
                rf"[\W_]{{0,20}}(?:<\w+>\s?)?(?:{_FORGET}\b|system\s?:|new (?:task|instructions?|system)|now\b|instructions?\s?:|you (?:must|are now)|(?:answer|reply|respond) (?:only|with)\s)",
            ),
            (
                "boundary=, key=",
                r"<(?P<block>source|passage|evidence|note|quotation|claim|turn|question)\s[^>\n]{0,80}\b(?:boundary|key)=[^>\n]{0,80}>(?:[^<]{0,2000}(?:</(?P=block)[^>\n]{0,40}>|\Z))?",
            ),
            (
                "# system, # assistant, # developer",
                rf"(?:^|(?<=\n))#{{1,3}}\s?(?:system|assistant|developer)\s?\n\s?(?:you (?:must|are|will|should)|{_FORGET}\b|{_REPLY}\s|the answer)",
            ),
            (
                "context, source, data, passage, user input, document, system prompt",
                r"(?:^|\n|[-=#*<\[(]{2,}\s?)(?:begin|end|start) (?:of )?(?:the )?(?:untrusted |retrieved |quoted )?(?:system prompt|context|sources?|data|passages?|user input|documents?)\s?[-=#*>\])]{2,}",
            ),
        ),
    ),
    (
        "a request to give something away",
        (
            (
                "prompt, instruction, api key, message, configuration",
                r"\b(?:reveal|print|show|output|repeat|disclose|display|leak|recite|expose|dump|tell (?:me|us|the user)|write out|give (?:me|us|away))\b"
                r"(?:\s\w+){0,4}?\s(?:your|its)\s(?:\w+\s){0,2}?(?:(?:system|hidden|initial|secret|original|developer|internal)\s(?:prompts?|instructions?|message|configuration)|instructions|api keys?|prompt)\b",
            ),
            (
                "prompt, instructions, message",
                r"\b(?:reveal|repeat|disclose|leak|recite|dump|exfiltrate)\s(?:\w+\s){0,3}?(?:system|hidden|secret) (?:prompt|instructions|message)\b",
            ),
            (
                "send, post, forward, upload, transmit, mail, exfiltrate, submit, leak, deliver, report, copy",
                rf"\b(?:send|post|forward|upload|transmit|e-?mail|exfiltrate|submit|leak|deliver|report|copy)\b[^.\n]{{0,60}}?\b{_SECRET}[^\n]{{0,60}}?\b(?:to|at|via)\s\W?(?:the (?:url|address|server|endpoint)\s)?{_ADDRESS}",
            ),
            (
                "fetch, visit, load, request, call, curl, wget, open, navigate, browse, ping, get, contact",
                rf"\b(?:fetch|visit|load|request|call|curl|wget|open|navigate to|browse to|ping|get|contact)\s(?:this url|the url|{_ADDRESS})[^\n]{{0,80}}\b(?:with|append\w*|includ\w+|containing|plus|add\w*|followed by)\b[^\n]{{0,40}}\b(?:{_SECRET}|question|conversation|answer)",
            ),
            (
                "![",
                r"!\[[^\]\n]{0,80}\]\(\s?(?:https?:)?//[^)\s]*[?&=][^)\n]*(?:\{|\[|%7b|<|\$|question|conversation|prompt|secret|history|api_?key|answer)[^)\n]*\)",
            ),
            (
                "<img, <iframe, <script, <link",
                r"<(?:img|iframe|script|link)\b[^>]{0,200}(?:src|href)=[\"']?(?:https?:)?//[^>]*(?:\{|question|conversation|prompt|secret|history|api_?key)[^>]*>",
            ),
            (
                "append, attach, embed, encode, include, insert, add",
                r"\b(?:append|attach|add|include|insert|embed|encode)\b[^.\n]{0,40}\b(?:conversation|chat history|(?:user'?s? |the )question|system prompt|secret|api keys?)\b[^.\n]{0,40}\b(?:urls?|links?|query string|image|parameters?)\b",
            ),
        ),
    ),
    (
        "a claim about its own verification or citation",
        (
            (
                "claim, sentence, statement, passage, answer, document, source",
                r"\b(?:mark|label|rate|score|treat|classify|grade|judge|count|accept)\s(?:every|all|each|this|any)(?: of)?(?: the| your| these)?\s(?:\w+\s){0,2}?(?:claims?|sentences?|statements?|passages?|answers?|documents?|sources?)\b"
                r"(?:\s[\w']+){0,6}?\s(?:as |with |at )?(?:fully )?(?:supported|verified|true|grounded|relevant|correct|entailed|\d+/10|100|1\.0|(?:the )?(?:highest|maximum))\b",
            ),
            (
                "verdict, groundedness, entailment, support score, relevance score, verification",
                r"\b(?:verdict|groundedness|entailment|support score|relevance score|verification)\s?[\"']?\s?[:=]\s?[\"']?(?:supported|verified|entailed|100\b|1\.0|10/10|pass(?:ed)?\b)",
            ),
            (
                "\"verdict, 'verdict, groundedness, entailed, is_sufficient, is_supported, support",
                r"[\"'](?:verdict|groundedness|entailed|is_sufficient|is_supported|support|all_supported)[\"']\s?:\s?(?:[\"']supported|true\b|1(?:\.0)?\b|100\b)",
            ),
            (
                "{",
                r"\{\s?[\"'](?:sentences|answer|claims|notes|scores)[\"']\s?:\s?(?:\[\s?\{|[\"'])",
            ),
            (
                "verified, checked, confirmed, supported, certified, approved",
                r"\b(?:this|the|every) (?:claim|statement|passage|source|document|answer|sentence)s? (?:is|are|has been|have been|was|were) (?:already |fully |independently |officially |100 ?% )*"
                r"(?:verified|fact-?checked|confirmed|supported|certified|approved)\s(?:by|as)\s(?:the )?(?:system|verifier|fact-?checker|ascertain|ai\b|all sources|administrators?|developers?|model)",
            ),
            (
                "cite",
                r"\b(?:always |only )?cite\s(?:this|only this|this (?:document|source|passage)|\[?s\d+\]?|source \d+)\b[^.\n]{0,40}\b(?:for (?:every|each|all|any)|instead|in every|as (?:the )?(?:only|sole) (?:source|evidence))",
            ),
            (
                "verify, check, validat",
                r"\b(?:no need|do not|don't|never|without|skip) (?:to )?(?:verify|verifying|check|checking|fact-?check|validat\w+) (?:this|the|any|these|your|its)? ?(?:claims?|answers?|statements?|citations?)\b",
            ),
        ),
    ),
    (
        "words addressed to an AI model",
        (
            (
                "attention, note, message, instruction, notice, memo, important, reminder, directive, hey, dear, hello",
                rf"\b(?:attention|notes?|messages?|instructions?|notice|memo|important|reminder|directive|hey|dear|hello),?\s(?:to|for)?\s?(?:any |all |every |the |future )?{_MODEL}\s?(?:[:,!-]|reading\b|processing\b|that\b|who\b)",
            ),
            (
                "if you",
                rf"\bif you(?:'re| are) (?:an? |the )?{_MODEL}\b",
            ),
            (
                "this, these",
                rf"\b{_MODEL}\s(?:(?:that|who|which) )?(?:is |are )?(?:read|process|summari[sz]|index|pars|analy[sz]|scrap)(?:e?s|ing)? (?:this|these)\b",
            ),
            (
                "must, shall",
                rf"\b(?:any |all |every |the |each )?(?:ai|language|chat) ?(?:assistants?|models?|agents?|bots?)\s(?:must|shall)\s(?:now |always |only |never |not |instead )*{_REPLY}\b",
            ),
            (
                "answer, respond, reply",
                r"(?:^|(?<=[.!?:;,]\s)|(?<=\n)|\b(?:and|then|must|should|please|just)\s)(?:answer|respond|reply)\s(?:to (?:every|all|any) (?:questions?|quer(?:y|ies)|prompts?)\s)?(?:only |exactly |solely |exclusively |just )*(?:with |by saying )(?:only |exactly |just |the (?:word|words|text|phrase|string) |nothing but )*[\"'][^\"'\n]{2,60}[\"']",
            ),
            (
                "asked, answering, summari, you answer, user asks",
                r"\bwhen(?:ever)? (?:asked|answering|summari[sz]ing|the user asks|you (?:answer|summari[sz]e))\b[^.\n]{0,60}?[,:]?\s(?:you must|always|do not (?:say|mention|cite|answer)|never (?:say|mention|cite)|instead)\b(?:\s\w+){0,3}?\s?(?:say|answer|reply|respond|claim|recommend|state|mention|cite)",
            ),
            (
                "decode, decrypt, base64, rot13",
                r"\b(?:decode|decrypt|un-?base64|rot13)\b[^.\n]{0,60}\b(?:follow|execute|obey|carry out|do what|perform)\s(?:it|the|this|them|these|what)",
            ),
            (
                "tool, function",
                r"\b(?:call|invoke|run|use|trigger|execute)\s(?:the\s)?[`'\"]?(?:delete|send|remove|drop|shell|exec|transfer|http|fetch|web)[\w]*[_ ](?:\w+[_ ])*(?:tool|function)\b[^.\n]{0,40}\b(?:now|immediately|before (?:you )?answer|with|to (?:delete|send))",
            ),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """``kind`` in words; ``cues`` are words one of which stands in everything that ``regex`` matches: quick to look for."""

    kind: str
    cues: tuple[str, ...]
    regex: re.Pattern[str]


PATTERNS: tuple[Pattern, ...] = tuple(
    Pattern(kind, tuple(cues.split(", ")), re.compile(regex))
    for kind, patterns in _TABLE
    for cues, regex in patterns
)
"""Over folded text; cues over the same with line breaks as spaces."""
