"""The words on a control by which it is known what it commits a person to, and those around one that says nothing.

Languages: English, German, French, Spanish, Italian, Portuguese, Dutch, Polish, Swedish, Turkish, Russian, Chinese and
Japanese, some Korean. A control is asked about by its own words (`kinds_of`). One whose words say nothing ("Continue",
"OK", an icon without a name: `is_neutral`) is asked about by the words of the form around it (`kinds_around`).
"""
# ruff: noqa: RUF001 - letters of other languages that look like Latin ones

from __future__ import annotations

import re
from enum import StrEnum


class Kind(StrEnum):
    """What an action would do, as far as asking goes."""

    NONE = "none"
    PAYMENT = "payment"
    BOOKING = "booking"
    ACCOUNT = "account"
    CREATION = "creation"
    MESSAGE = "message"
    DELETION = "deletion"
    PERMISSION = "permission"
    CONSENT = "consent"
    SHARING = "sharing"
    COMMAND = "command"
    SCRIPT = "script"
    UPLOAD = "upload"
    FILES = "files"
    CLIPBOARD = "clipboard"
    CLOSING = "closing"
    IRREVERSIBLE = "irreversible"
    LEAVING = "leaving"
    PROGRAM = "program"
    DOUBT = "doubt"
    ADDRESS = "address"


def _words(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


# Whole-label patterns, tried in this order; a label is the control's name with blanks folded.
KIND_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.PAYMENT,
        _words(
            r"\bpay(?!pal\b|ment (?:method|option|detail|plan)|ments?$)\b",
            r"\bplace (?:the |my |your |this )?order\b",
            r"\bbuy(?: it)?(?: now)?\b(?!.*\b(?:guide|advice)\b)",
            r"\bpurchase\b",
            r"\bdonate\b",
            r"\bcomplete (?:the |my |your )?order\b",
            r"\b(?:submit|confirm) (?:the |my |your )?(?:order|payment)\b",
            r"\border now\b",
            r"\bsubscribe (?:and|&) pay\b",
            r"\b(?:transfer|send) (?:money|funds)\b",
            r"\bupgrade (?:now|plan)\b",
            r"\bstart (?:paid|my) (?:plan|subscription)\b",
            r"\b(?:zahlungs|kosten)pflichtig\b",
            r"\bjetzt (?:kaufen|bezahlen|bestellen)\b",
            r"\bbezahlen\b",
            r"\bkaufen\b",
            r"^bestellen\b",
            r"\b(?:bestellung|zahlung|kauf) (?:abschicken|absenden|aufgeben|bestätigen|abschließen)\b",
            r"\bpayer\b",
            r"\bacheter\b",
            r"^commander\b",
            r"\b(?:valider|passer|confirmer|finaliser) (?:la |ma |le |mon |l.)?(?:commande|paiement|achat)\b",
            r"\bpagar\b",
            r"\bcomprar\b",
            r"\b(?:realizar|tramitar|confirmar|finalizar|fazer|fechar) (?:el |la |o |a )?"
            r"(?:pedido|compra|pago|pagamento)\b",
            r"\bacquista\b",
            r"\bpaga(?:re)?\b",
            r"^ordina\b",
            r"\bconferma (?:l.|il )?(?:ordine|acquisto|pagamento)\b",
            r"\bbetalen\b",
            r"\bbestelling (?:plaatsen|bevestigen)\b",
            r"\b(?:nu )?kopen\b",
            r"\bkup(?:uję)?\b",
            r"\bzapłać\b",
            r"\bzamawiam\b",
            r"\bzłóż zamówienie\b",
            r"^betala\b",
            r"^köp\b",
            r"\bslutför köp\w*\b",
            r"^beställ\b",
            r"^öde(?:me yap)?\b",
            r"\bsatın al\b",
            r"\bsiparişi? (?:ver|onayla|tamamla)\b",
            r"\bоплатить\b",
            r"\bкупить\b",
            r"^заказать\b",
            r"\b(?:оформить|подтвердить) заказ\b",
            "支付",
            "付款",
            "购买",
            "購買",
            "下单",
            "提交订单",
            "注文を確定",
            "注文する",
            "購入",
            "支払う",
            "결제",
        ),
    ),
    (
        Kind.BOOKING,
        _words(
            r"^book(?!s\b|ing|let|mark)\b(?!.*\b(?:details|reviews?)$)",
            r"\bbook (?:now|it|this|flight|room|table|seat|trip)\b",
            r"^reserve\b",
            r"\breserve (?:now|it|this)\b",
            r"\b(?:confirm|complete) (?:the |my |your )?(?:booking|reservation)\b",
            r"\b(?:jetzt )?buchen\b",
            r"\breservieren\b",
            r"\bréserver\b",
            r"\breservar\b",
            r"\bprenota\b",
            r"\breserveren\b",
            r"^(?:za)?rezerwuj\b",
            r"^boka\b",
            r"\brezervasyon yap\b",
            r"\bзабронировать\b",
            "预订",
            "預訂",
            "予約する",
            "予約を確定",
            "예약하기",
        ),
    ),
    (
        Kind.ACCOUNT,
        _words(
            r"\bcreate (?:an? |my |your |new )*account\b",
            r"^sign up\b(?!.*newsletter)",
            r"^register\b",
            r"\b(?:close|deactivate|delete) (?:my |your |this )?account\b",
            r"\bkonto (?:erstellen|anlegen|eröffnen|löschen|schließen)\b",
            r"^registrieren\b",
            r"\bcréer (?:un |mon )?compte\b",
            r"^s.inscrire\b",
            r"\bcrear (?:una |mi )?cuenta\b",
            r"^registrar(?:se|me)\b",
            r"\bcrea (?:un )?account\b",
            r"^registrati\b",
            r"\bcriar (?:uma |minha )?conta\b",
            r"\baccount (?:aanmaken|verwijderen)\b",
            r"\b(?:utwórz|załóż|usuń) konto\b",
            r"^zarejestruj\b",
            r"\bskapa (?:ett )?konto\b",
            r"\bhesa(?:p oluştur|bı(?:mı)? sil)",
            r"^(?:kaydol|üye ol)\b",
            r"\b(?:создать|удалить) (?:аккаунт|уч[её]тную запись)\b",
            r"\bзарегистрироваться\b",
            "注册",
            "註冊",
            "创建(?:账户|帐户|账号)",
            "アカウントを?作成",
            "新規登録",
            "会員登録",
        ),
    ),
    (
        Kind.DELETION,
        _words(
            r"^delete\b",
            r"\bdelete (?:forever|permanently|repository|project|all)\b",
            r"\bdestroy\b",
            r"\berase\b",
            r"\bempty (?:the )?(?:trash|bin)\b",
            r"\bcancel (?:my |the |your )?(?:subscription|order|booking|contract)\b",
            r"\blöschen\b",
            r"\bkündigen\b",
            r"\bsupprimer\b",
            r"\beffacer\b",
            r"\br[eé]silier\b",
            r"\beliminar\b",
            r"\bborrar\b",
            r"\belimina(?:re)?\b",
            r"^cancella(?:re)?\b",
            r"^(?:excluir|apagar)\b",
            r"\bverwijderen\b",
            r"^wissen\b",
            r"^usuń\b",
            r"^radera\b",
            r"^ta bort (?:permanent|kontot?|allt|för alltid)\b",
            r"^(?:kalıcı olarak )?sil\b",
            r"\bудалить\b",
            r"\bстереть\b",
            "删除",
            "刪除",
            "削除",
            "삭제",
        ),
    ),
    (
        Kind.CREATION,
        _words(
            r"^create\b(?! (?:an? |my |your |new )*account)(?!.*\b(?:filter|search|view|alert)s?$)",
            r"^publish\b",
            r"\bgo live\b",
            r"^deploy\b",
            r"\bmake public\b",
            r"\bveröffentlichen\b",
            r"\b(?:erstellen|anlegen)$",
            r"\bpublier\b",
            r"^créer\b",
            r"\bpublicar\b",
            r"^crear\b",
            r"^criar\b",
            r"\bpubblica\b",
            r"^crea\b",
            r"\bpubliceren\b",
            r"^opublikuj\b",
            r"^utwórz\b",
            r"^publicera\b",
            r"^skapa\b",
            r"^yayınla\b",
            r"^oluştur\b",
            r"\bопубликовать\b",
            r"^создать\b",
            "发布",
            "發佈",
            "公開する",
        ),
    ),
    (
        Kind.MESSAGE,
        _words(
            r"^send\b(?!.*\b(?:code|link)\b)",
            r"\bsend (?:message|e-?mail|now|reply|invitation)s?\b",
            r"^post\b(?! ?code)",
            r"^(?:tweet|reply|comment)$",
            r"^reply all\b",
            r"^invite\b",
            r"^share\b",
            r"\b(?:nachricht )?(?:senden|abschicken|absenden)\b",
            r"\benvoyer\b",
            r"\benviar\b",
            r"\binvia(?:re)?\b",
            r"\bversturen\b",
            r"^(?:verzenden|verstuur)\b",
            r"^wyślij\b",
            r"^skicka\b",
            r"^gönder\b",
            r"\bотправить\b",
            "发送",
            "發送",
            "送信",
            "보내기",
        ),
    ),
    (
        Kind.PERMISSION,
        _words(
            r"^authori[sz]e\b",
            r"^grant\b",
            r"\bgrant access\b",
            r"^allow\b",
            r"\bgive (?:admin|access)\b",
            r"\bmake (?:admin|owner)\b",
            r"\btransfer ownership\b",
            r"\bautorisieren\b",
            r"\bzugriff (?:erlauben|gewähren|zulassen)\b",
            r"^(?:erlauben|zulassen)\b",
            r"\bautoriser\b",
            r"\bautorizar\b",
            r"^(?:permitir|conceder)\b",
            r"\bautorizza\b",
            r"^consenti\b",
            r"^toestaan\b",
            r"\btoegang (?:verlenen|geven)\b",
            r"^(?:zezwól|autoryzuj)\b",
            r"^tillåt\b",
            r"^(?:izin|i̇zin) ver\b",
            r"^İzin ver\b",
            r"^разрешить\b",
            r"\bпредоставить доступ\b",
            "授权",
            "授權",
            "允许",
            "許可する",
        ),
    ),
    (
        Kind.CONSENT,
        _words(
            r"\b(?:accept|agree|consent)\b(?!.*\b(?:only|necessary|essential)\b)",
            r"\bi have read\b",
            r"^allow all\b",
            r"\b(?:alle |allem )?(?:akzeptieren|zustimmen|einverstanden)\b",
            r"\b(?:tout )?accepter\b",
            r"\bj.accepte\b",
            r"\bacept(?:ar|o)\b",
            r"\baccett(?:a|o)\b",
            r"\b(?:aceitar|aceito|concordo)\b",
            r"\b(?:akkoord|accepteren)\b",
            r"\b(?:za)?akceptuj[eę]?\b",
            r"\bzgadzam się\b",
            r"\b(?:acceptera|godkänn(?:er)?|samtycker)\b",
            r"\bkabul (?:et|ediyorum)\b",
            r"\b(?:принять|принимаю|согласен|согласна|соглашаюсь)\b",
            "同意",
            "接受",
            "承諾",
            "동의",
        ),
    ),
)

# What a form says of itself, for controls that say nothing. A heading, a question or a sentence in it.
FORM_WORDS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        Kind.PAYMENT,
        _words(
            r"\b(?:confirm|complete|authori[sz]e) (?:the |my |your |this )?(?:payment|purchase|order)\b",
            r"\b(?:will be|are) (?:charged|billed|debited)\b",
            r"\b(?:card|account) (?:will be|is) charged\b",
            r"\b(?:zahlung|kauf|bestellung) (?:bestätigen|abschließen|freigeben)\b",
            r"\bkostenpflichtig\b",
            r"\b(?:confirmer|valider) (?:le |la |votre )?(?:paiement|achat|commande)\b",
            r"\bconfirm(?:ar?|e) (?:el |la |o |a |su |seu |il |l.)?(?:pago|compra|pedido|pagamento|ordine|acquisto)\b",
            r"\bbevestig (?:de |je |uw )?(?:betaling|bestelling)\b",
            r"\bpotwierdź (?:płatność|zamówienie|zakup)\b",
            r"\bbekräfta (?:köp|betalning|beställning)\w*",
            r"\b(?:ödemeyi|siparişi) onayla",
            r"\bподтвердите (?:оплату|заказ|покупку)\b",
            "确认(?:支付|付款|订单)",
            "(?:注文|支払い?|購入)の?確認",
        ),
    ),
    (
        Kind.DELETION,
        _words(
            r"\bdelete (?:this|these|the|your|my|all|it|them|\d+|[“\"])",
            r"\b(?:want|sure|about|going|type) (?:you want )?to (?:\w+ )?(?:delete|erase|discard|remove)\b",
            r"\bdeleting\b",
            r"\btype .{0,40}\b(?:delete|name)\b.{0,30}\bconfirm\b",
            r"\b(?:permanently|irrevocably)\b",
            r"\b(?:can ?not|can.t) be (?:undone|recovered|restored)\b",
            r"\b(?:endgültig|unwiderruflich)\b|\blöschen\b|\brückgängig gemacht\b",
            r"\bsupprimer\b|\bdéfinitivement\b|\birréversible\b",
            r"\b(?:eliminar|borrar|elimina(?:re)?|excluir|apagar)\b|\bpermanentemente\b|\bno se puede deshacer\b",
            r"\bverwijderen\b|\bdefinitief\b|\busunąć\b|\bnieodwracaln\w+",
            r"\bradera\b|\bta bort\b|\bsil(?:inecek|mek|insin)\b|\bgeri alınamaz\b",
            r"\bудалить\b|\bбезвозвратно\b",
            "删除|刪除|无法(?:撤销|恢复)|削除|元に戻せません|取り消せません",
        ),
    ),
    (
        Kind.ACCOUNT,
        _words(
            r"\b(?:create|open) (?:an? |my |your |new )*account\b",
            r"\bkonto (?:erstellen|anlegen|eröffnen)\b",
            r"\bcréer (?:un |votre |mon )?compte\b",
            r"\b(?:crear|criar) (?:una |uma |tu |su |sua )?(?:cuenta|conta)\b",
            r"\bcrea (?:un |il tuo )?account\b",
            r"\baccount aanmaken\b|\b(?:utwórz|załóż) konto\b|\bskapa (?:ett )?konto\b|\bhesap oluştur\b",
            r"\bсоздать аккаунт\b|\bрегистрация\b",
            "注册账|创建账|アカウントを?作成|会員登録",
        ),
    ),
    (
        Kind.PERMISSION,
        _words(
            r"\b(?:wants|would like|is requesting|requests) (?:to )?(?:access|permission|use|read|manage|connect)\b",
            r"\b(?:grant|give|allow) .{0,30}\baccess\b",
            r"\bmöchte .{0,60}\b(?:zugreifen|zugriff)\b|\bzugriff (?:auf|gewähren|erlauben)\b",
            r"\b(?:souhaite|demande) .{0,60}\baccéder\b|\bautoriser l.accès\b",
            r"\b(?:quiere|solicita|deseja|vuole|richiede) .{0,40}\b(?:acceder|acceso|ace?ss(?:ar|o)|accede\w*)\b",
            r"\bwil .{0,40}\btoegang\b|\bprosi o dostęp\b|\bvill ha åtkomst\b|\berişim (?:izni )?istiyor\b",
            r"\bзапрашивает доступ\b",
            "请求(?:访问|授权)|アクセスを(?:許可|求め)",
        ),
    ),
    (
        Kind.MESSAGE,
        _words(
            r"\b(?:message|e-?mail|invitation)s? will be sent\b",
            r"\bsend (?:this|the|your) (?:message|e-?mail|invitation)s?\b",
            r"\bnachricht (?:wird gesendet|senden)\b|\benvoyer (?:le|ce) message\b",
            r"\benviar (?:el |este |a )?mensa[jg]e?m?\b",
        ),
    ),
    (
        Kind.CONSENT,
        _words(
            r"\bby .{3,60}\byou (?:agree|accept|consent)\b",
            r"\byou (?:must|need to|have to) (?:agree|accept)\b",
            r"\bstimm(?:en sie|st du) .{0,60}\b(?:zu|bedingungen|agb)\b",
            r"\b(?:vous acceptez|aceptas|acepta usted|accetti|concorda com|ga je akkoord|akceptujesz|godkänner du)\b",
            r"\bkabul etmiş\b|\bвы (?:принимаете|соглашаетесь)\b",
            "即表示.{0,10}同意|に同意(?:した|する)ものと",
        ),
    ),
)

_NEUTRAL = _words(
    r"ok(?:ay)?", r"yes(?:,? .{0,20})?", r"confirm", r"continue", r"next(?: step)?", r"proceed", r"submit", r"done",
    r"go", r"finish", r"complete", r"apply", r"save(?: (?:changes|and continue))?", r"i.?m sure", r"got it", r"do it",
    r"start",
    r"ja(?:,? .{0,20})?", r"bestätigen", r"weiter", r"fortfahren", r"fertig", r"absenden", r"speichern", r"übernehmen",
    r"oui(?:,? .{0,20})?", r"confirmer", r"continuer", r"suivant", r"valider", r"terminer", r"enregistrer",
    r"s[ií]", r"confirmar", r"continuar", r"siguiente", r"aceptar", r"finalizar", r"guardar",
    r"conferma", r"continua", r"avanti", r"salva", r"fine", r"sim", r"avançar", r"seguinte", r"concluir", r"salvar",
    r"bevestigen", r"doorgaan", r"volgende", r"verder", r"opslaan", r"tak", r"potwierdź", r"dalej", r"kontynuuj",
    r"zapisz", r"bekräfta", r"fortsätt", r"nästa", r"spara", r"klar", r"evet", r"onayla", r"devam(?: et)?", r"tamam",
    r"ileri", r"kaydet", r"да", r"подтвердить", r"продолжить", r"далее", r"готово", r"сохранить", r"ок",
    "是", "确[认定]", "確[認定]", "继续", "繼續", "下一步", "提交", "完成", "はい", "確認(?:する)?", "続ける", "続行",
    "次へ", "完了", "확인", "계속", "다음",
    r"[^\w]*",
)  # fmt: skip


def kinds_of(text: str) -> list[Kind]:
    """The kinds whose words stand in a label, the gravest first."""
    return [kind for kind, pattern in KIND_WORDS if pattern.search(text)]


def kinds_around(text: str) -> list[Kind]:
    """The kinds of which a heading, a question or a sentence in a form speaks."""
    return [kind for kind, pattern in FORM_WORDS if pattern.search(text)]


def is_neutral(label: str) -> bool:
    """Whether the words of a control leave open what it does."""
    return _NEUTRAL.fullmatch(label.strip(" .!…→›»>\t")) is not None
