"""What commits a person to something is known in their language, and what does not is left alone."""
# ruff: noqa: E501, RUF001 - tables of words; letters of other languages look like Latin ones

from __future__ import annotations

import pytest

from operative_app.actions.mouse import ClickElement
from operative_app.safety.policy import Decision, Policy, decide
from operative_app.safety.risk_words import Kind, is_neutral
from tests.safety.screens import element, screen

LABELS: dict[Kind, tuple[str, ...]] = {
    Kind.PAYMENT: (
        "Pay now", "Order now", "Kostenpflichtig bestellen", "Kauf abschließen", "Zahlung bestätigen",
        "Payer 20 €", "Commander", "Confirmer le paiement", "Pagar ahora", "Realizar pedido", "Confirmar el pago",
        "Paga ora", "Ordina", "Conferma l'ordine", "Finalizar compra", "Fazer pedido", "Comprar",
        "Nu kopen", "Bestelling plaatsen", "Betalen", "Zapłać", "Złóż zamówienie", "Kup teraz",
        "Betala", "Köp nu", "Slutför köpet", "Satın al", "Ödeme yap", "Siparişi onayla",
        "Оплатить", "Купить", "Оформить заказ", "立即支付", "提交订单", "購入する", "注文を確定する", "支払う",
    ),
    Kind.DELETION: (
        "Delete", "Endgültig löschen", "Supprimer", "Résilier", "Eliminar", "Borrar", "Elimina", "Excluir", "Apagar",
        "Verwijderen", "Usuń", "Radera", "Kalıcı olarak sil", "Sil", "Удалить", "删除", "削除する",
    ),
    Kind.MESSAGE: (
        "Send", "Absenden", "Nachricht senden", "Envoyer", "Enviar", "Invia", "Versturen", "Verstuur", "Wyślij",
        "Skicka", "Gönder", "Отправить", "发送", "送信",
    ),
    Kind.CONSENT: (
        "Accept", "I agree", "Akzeptieren", "Allem zustimmen", "Tout accepter", "Aceptar todo", "Accetta", "Aceitar",
        "Concordo", "Akkoord", "Accepteren", "Akceptuję", "Zgadzam się", "Acceptera alla", "Godkänn", "Kabul et",
        "Принять", "Согласен", "同意", "接受", "同意する",
    ),
    Kind.ACCOUNT: (
        "Create account", "Konto eröffnen", "Créer un compte", "S'inscrire", "Crear cuenta", "Registrarse",
        "Crea un account", "Registrati", "Criar conta", "Account aanmaken", "Załóż konto", "Skapa konto",
        "Hesap oluştur", "Üye ol", "Создать аккаунт", "Зарегистрироваться", "注册", "创建账户", "アカウントを作成", "新規登録",
    ),
    Kind.PERMISSION: (
        "Grant access", "Authorize", "Zugriff gewähren", "Erlauben", "Autoriser", "Autorizar", "Permitir", "Autorizza",
        "Consenti", "Toestaan", "Zezwól", "Tillåt", "İzin ver", "Разрешить", "授权", "允许", "許可する",
    ),
    Kind.BOOKING: (
        "Book now", "Jetzt buchen", "Réserver", "Reservar", "Prenota", "Reserveren", "Zarezerwuj", "Boka",
        "Rezervasyon yap", "Забронировать", "预订", "予約する",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", LABELS)
def test_the_words_of_a_kind_are_known_in_thirteen_languages(kind: Kind) -> None:
    for label in LABELS[kind]:
        state = screen(element(label))
        verdict = decide(ClickElement(target=state.ref(state.elements[0])), state, Policy())
        assert verdict.decision is Decision.CONFIRM, label
        assert verdict.kind is kind, label


HARMLESS = (
    "Search", "Add to cart", "Checkout", "Sign in", "Log in", "Filter", "Sort by price", "Show more", "Read more",
    "Details", "Menu", "Help", "Download", "Print", "Copy link", "Back", "Previous", "Close", "Cancel", "Reset",
    "Zoom in", "Play", "Pause", "Expand", "Collapse", "Select all", "Choose date", "Compare", "Wishlist", "My orders",
    "Order history", "Payment methods", "Payments", "Delivery options", "Shipping", "Paypal", "Bookmarks", "Notebook",
    "Suchen", "In den Warenkorb", "Zur Kasse", "Anmelden", "Mehr anzeigen", "Abbrechen", "Zurück", "Bestellungen",
    "Rechercher", "Ajouter au panier", "Se connecter", "Annuler", "Fermer", "Voir plus", "Mes commandes",
    "Buscar", "Añadir al carrito", "Iniciar sesión", "Cancelar", "Cerrar", "Ver más", "Cerca", "Aggiungi al carrello",
    "Accedi", "Annulla", "Chiudi", "Pesquisar", "Adicionar ao carrinho", "Entrar", "Fechar", "Zoeken", "Inloggen",
    "In winkelwagen", "Annuleren", "Szukaj", "Dodaj do koszyka", "Zaloguj się", "Anuluj", "Sök", "Lägg i varukorg",
    "Logga in", "Avbryt", "Ara", "Sepete ekle", "Giriş yap", "İptal", "Поиск", "В корзину", "Войти", "Отмена",
    "搜索", "加入购物车", "登录", "取消", "検索", "カートに入れる", "ログイン", "キャンセル", "Silver", "Silence", "Köpenhamn guide",
)  # fmt: skip


def test_ordinary_controls_in_these_languages_are_not_asked_about() -> None:
    asked = []
    for label in HARMLESS:
        state = screen(element(label))
        verdict = decide(ClickElement(target=state.ref(state.elements[0])), state, Policy())
        if verdict.decision is not Decision.ALLOW:
            asked.append((label, verdict.kind))
    assert asked == []


@pytest.mark.parametrize(
    "label",
    ["OK", "ok", "Continue", "Continue →", "Next step", "Yes", "Yes, do it", "Confirm", "Submit", "", "…", "✓", "Weiter",
     "Bestätigen", "Continuer", "Sí", "Conferma", "Avançar", "Doorgaan", "Dalej", "Fortsätt", "Devam et", "Далее", "确定",
     "次へ", "Save changes"],
)  # fmt: skip
def test_words_that_say_nothing_are_known(label: str) -> None:
    assert is_neutral(label)


@pytest.mark.parametrize("label", ["Search", "Cancel", "No", "Back", "Add to cart", "Continue shopping", "Okay Go", "Yesterday"])  # fmt: skip
def test_words_that_say_something_are_not_taken_for_such(label: str) -> None:
    assert not is_neutral(label)
