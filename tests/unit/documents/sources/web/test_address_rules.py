import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascertain.core.errors import ConfigurationError
from ascertain.documents.sources.web.resolving import AllowedHosts, refuse_address

FORBIDDEN = {
    "0.0.0.0": "the unspecified address",
    "0.1.2.3": "a private address",
    "10.0.0.1": "a private address",
    "100.64.0.1": "a reserved address",
    "100.100.100.200": "a reserved address",  # metadata of Alibaba Cloud
    "127.0.0.1": "a loopback address",
    "127.255.255.254": "a loopback address",
    "168.63.129.16": "a reserved address",  # Azure's agent
    "169.254.169.254": "a link-local address",  # metadata of AWS, Google, Azure
    "169.254.170.2": "a link-local address",
    "172.16.0.1": "a private address",
    "172.31.255.255": "a private address",
    "192.0.0.192": "a private address",  # metadata of Oracle Cloud
    "192.0.2.1": "a private address",
    "192.88.99.1": "a reserved address",
    "192.168.1.1": "a private address",
    "198.18.0.1": "a private address",
    "203.0.113.9": "a private address",
    "224.0.0.1": "a multicast address",
    "239.255.255.250": "a multicast address",
    "240.0.0.1": "a private address",
    "255.255.255.255": "a private address",
    "::": "the unspecified address",
    "::1": "a loopback address",
    "::7f00:1": "a reserved address",
    "::ffff:127.0.0.1": "a loopback address",
    "::ffff:10.0.0.1": "a private address",
    "::ffff:0:127.0.0.1": "a loopback address",
    "64:ff9b::127.0.0.1": "a loopback address",
    "64:ff9b::169.254.169.254": "a link-local address",
    "64:ff9b:1::1": "a private address",
    "100::1": "a private address",
    "2001::1": "a private address",  # Teredo
    "2001:db8::1": "a private address",
    "2002:7f00:1::": "a loopback address",
    "2002:a00:1::1": "a private address",
    "3fff::1": "a private address",
    "5f00::1": "a reserved address",
    "fc00::1": "a private address",
    "fd00:ec2::254": "a private address",  # metadata of AWS
    "fe80::1": "a link-local address",
    "fec0::1": "a reserved address",
    "ff02::1": "a multicast address",
}
PUBLIC = (
    "1.1.1.1",
    "8.8.8.8",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.0.1",
    "172.32.0.1",
    "192.167.1.1",
    "2606:4700::1",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
)


@pytest.mark.parametrize("address", FORBIDDEN)
def test_refuses_what_is_not_public(address):
    assert refuse_address(ipaddress.ip_address(address)) is not None


@pytest.mark.parametrize(
    "address",
    [address for address, kind in FORBIDDEN.items() if kind not in {"a private address", "a reserved address"}],
)
def test_names_the_kind_of_address(address):
    assert refuse_address(ipaddress.ip_address(address)) == FORBIDDEN[address]


@pytest.mark.parametrize("address", PUBLIC)
def test_takes_what_is_public(address):
    assert refuse_address(ipaddress.ip_address(address)) is None


@given(st.ip_addresses(v=4))
def test_an_address_carried_by_another_is_as_public_as_itself(address):
    number = int(address)
    carriers = (
        ipaddress.IPv6Address(0xFFFF << 32 | number),
        ipaddress.IPv6Address(0x64FF9B << 96 | number),
        ipaddress.IPv6Address(0x2002 << 112 | number << 80 | 1),
    )
    for carrier in carriers:
        assert refuse_address(carrier) == refuse_address(address)


@given(st.ip_addresses())
def test_never_takes_what_python_calls_private(address):
    if not address.is_global:
        carried = getattr(address, "ipv4_mapped", None) or getattr(address, "sixtofour", None)
        assert refuse_address(address) is not None or (carried is not None and carried.is_global)


def test_an_allowed_host_is_allowed_at_every_port_or_at_one():
    allowed = AllowedHosts(["LocalHost", "searx.lan:8888", "[::1]:80", "::2", "10.0.0.7"])
    assert allowed.hold("localhost", 1)
    assert allowed.hold("localhost.", 2)
    assert allowed.hold("searx.lan", 8888)
    assert not allowed.hold("searx.lan", 8889)
    assert allowed.hold("::1", 80)
    assert not allowed.hold("::1", 81)
    assert allowed.hold("::2", 5)
    assert allowed.hold("10.0.0.7", 443)
    assert not allowed.hold("notlocalhost", 1)


@pytest.mark.parametrize("entry", ["", "http://host", "host/path", "host:0", "host:99999", "host:x", "a b", "u@h"])
def test_an_entry_that_is_no_host_is_an_error(entry):
    with pytest.raises(ConfigurationError, match=r"web\.allowed_hosts"):
        AllowedHosts([entry])
