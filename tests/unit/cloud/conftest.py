import pytest
from cloud_server import KEY, Clock, Server

import txtfp_np as tx


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def server():
    running = Server()
    yield running
    running.close()


@pytest.fixture
def provider(server, clock):
    with tx.OpenAiProvider(KEY, base_url=server.url, dimension=3, retry=clock.policy()) as made:
        yield made
